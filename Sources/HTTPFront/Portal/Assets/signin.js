// The sign-in page. Without this module the form still signs in with a password.

import text from "./text.js";
import { begin, call, fill, isStale, Problem } from "./api.js";
import { $, element, leave, onAction, reloadWhenRestored, reveal, showError, wireReveals } from "./ui.js";
import { secondFactor } from "./secondfactor.js";
import { stepUp } from "./stepup.js";
import * as webauthn from "./webauthn.js";

const query = new URLSearchParams(location.search);
const kinds = document.body.dataset.kinds.split(" ");
const form = $("#password-form");
const error = $("#error");

/** The gateway put it there only if people may be sent to it. */
let returnTo = form.elements.return_to.value || undefined;

const choices = () => ({ returnTo, remember: form.elements.remember.checked });

async function beginSignIn(body) {
  const { remember } = choices();
  try {
    return await begin("/sign-in/options", { ...body, remember, returnTo });
  } catch (problem) {
    if (problem.code !== "return_url_not_allowed") throw problem;
    returnTo = undefined;
    return begin("/sign-in/options", { ...body, remember });
  }
}

// Passkeys in the autofill list

/** The request that waits in the user name field; a browser runs one at a time. */
let waiting;

function stopAutofill() {
  clearTimeout(waiting?.timer);
  waiting?.controller.abort();
  waiting = undefined;
}

async function startAutofill() {
  stopAutofill();
  if (!kinds.includes("passkey")) return;
  const mine = (waiting = { controller: new AbortController() });
  const picked = await pick(mine);
  if (picked) await attempt(() => verifyPicked(picked));
}

/** Waits until somebody picks a passkey. Nobody asked for this request, so nothing is said when it ends otherwise. */
async function pick(mine) {
  const begunAt = Date.now();
  try {
    if (!(await webauthn.canAutofill())) return undefined;
    const { ceremonyId, requests, lifetime } = await beginSignIn({ kinds: ["passkey"], mediation: "autofill" });
    if (waiting !== mine) return undefined;
    // A page may stay open for days: a new challenge comes before the old one ends.
    mine.deadline = Date.now() + lifetime;
    mine.timer = setTimeout(startAutofill, Math.max(1_000, lifetime * 0.8));
    const { options } = requests[0];
    const response = await webauthn.get(options, { mediation: "conditional", signal: mine.controller.signal });
    return { ceremonyId, options, response };
  } catch (problem) {
    // Picked, and then cancelled; one that ends at once would only end again.
    const isCancelled = problem?.name === "NotAllowedError" && Date.now() - begunAt > 1_000;
    if (waiting === mine && isCancelled) setTimeout(startAutofill);
    return undefined;
  }
}

/** A passkey that was picked after a sleep, on a challenge that ended meanwhile, is asked for once more. */
async function verifyPicked({ ceremonyId, options, response }) {
  try {
    return await webauthn.verify(ceremonyId, options, response);
  } catch (problem) {
    if (!isStale(problem)) throw problem;
    return webauthn.request(choices());
  }
}

document.addEventListener("visibilitychange", () => {
  if (!document.hidden && waiting?.deadline < Date.now()) startAutofill();
});

// The form and the buttons

async function withPassword(identifier, password) {
  for (let isLast = false; ; isLast = true) {
    const { ceremonyId } = await beginSignIn({ identifier, kinds: ["password"] });
    try {
      const credential = { kind: "password", identifier, password };
      return await call("POST", "/sign-in/verify", { ceremonyId, credential });
    } catch (problem) {
      if (isLast || !isStale(problem)) throw problem;
    }
  }
}

/** Apple brings the visitor back by a form of its own, so this page ends here. */
async function leaveForApple() {
  stopAutofill();
  showError(error);
  try {
    const { ceremonyId } = await beginSignIn({ kinds: ["apple"] });
    const { location: page } = await call("POST", "/apple/authorize", { ceremonyId });
    location.assign(page);
  } catch (problem) {
    showError(error, problem, "apple");
    startAutofill();
  }
}

async function attempt(proof) {
  stopAutofill();
  showError(error);
  try {
    return await finish(await proof());
  } catch (problem) {
    showError(error, problem);
    startAutofill();
    return problem;
  }
}

function wire() {
  const { identifier, password } = form.elements;
  onAction(form, "submit", async () => {
    const problem = await attempt(() => withPassword(identifier.value, password.value));
    if (problem?.code !== "credential_rejected") return;
    password.setAttribute("aria-invalid", "true");
    password.select();
  });
  password.addEventListener("input", () => password.removeAttribute("aria-invalid"));
  onAction($("#passkey-button"), "click", () => attempt(() => webauthn.request(choices())));
  form.elements.remember.addEventListener("change", startAutofill);
  form.hidden = !kinds.includes("password");
  $("#passkey").hidden = !kinds.includes("passkey") || !webauthn.isSupported;
  $("#passkey .or").hidden = form.hidden;
  onAction($("#apple-button"), "click", leaveForApple);
  $("#apple").hidden = !document.body.dataset.redirecting.split(" ").includes("apple");
  $("#apple .or").hidden = form.hidden || !$("#passkey").hidden;
  wireReveals();
}

// After the sign-in

async function finish(answer) {
  if (answer.status === "needs_second_factor") return proveMore(answer);
  if (answer.status === "needs_enrollment") return leave("/account");
  await webauthn.signalState(answer.signals);
  if (answer.offer?.kind === "passkey") await putOffer(answer.offer);
  leave(answer.returnTo);
}

/** The second of two steps. One that takes too long leads back to the first. */
async function proveMore(answer) {
  const place = $("#step-up");
  $("#sign-in").hidden = true;
  place.hidden = false;
  try {
    return await finish(await secondFactor(place, answer));
  } catch {
    place.hidden = true;
    $("#sign-in").hidden = false;
    form.elements.password.value = "";
    error.textContent = text["secondFactor.over"];
    form.elements.identifier.focus();
    startAutofill();
  }
}

/** Keeps what became of an offer. Nobody waits at the door because that didn't work. */
async function answerOffer(offer, answer) {
  try {
    await call("POST", `/offers/${offer.id}`, { answer });
  } catch {
    // The worst is to be asked again.
  }
}

async function putOffer(offer) {
  if (!webauthn.isSupported) return answerOffer(offer, "unsupported");
  return answerOffer(offer, await (offer.mode === "automatic" ? createQuietly(offer) : ask(offer)));
}

/**
 * Lets the browser make a passkey without a question, where it does that; a few seconds are all it gets.
 *
 * Whether the question follows at another sign-in is for the gateway to say.
 */
async function createQuietly({ registration }) {
  if (!(await webauthn.canCreateQuietly())) return "unsupported";
  try {
    const signal = AbortSignal.timeout(4_000);
    const response = await webauthn.create(registration.options, { mediation: "conditional", signal });
    const { ceremonyId } = registration;
    const { signals } = await call("POST", "/passkeys/register/verify", { ceremonyId, response });
    await webauthn.signalState(signals);
    return "accepted";
  } catch (problem) {
    // One that is there already is as good.
    return problem.name === "InvalidStateError" ? "accepted" : "failed";
  }
}

/** Puts the question. Cancelling the browser's sheet leads back to it. */
function ask({ registration, mode, deadline }) {
  $("#sign-in").hidden = true;
  $("#offer-pressing").textContent = pressing(mode, deadline);
  $("#offer").hidden = false;
  $("#offer-title").focus();
  return new Promise((resolve) => {
    let begun = registration;
    onAction($("#offer-accept"), "click", async () => {
      showError($("#offer-error"));
      try {
        const { signals } = await webauthn.enroll(begun);
        await webauthn.signalState(signals);
        resolve("accepted");
      } catch (problem) {
        // A challenge is for one attempt that got as far as the gateway.
        if (problem instanceof Problem) begun = undefined;
        showError($("#offer-error"), problem);
      }
    });
    onAction($("#offer-later"), "click", () => resolve("snoozed"));
  });
}

/** What is said beside the question where a password alone won't do for long. */
function pressing(mode, deadline) {
  if (mode === "required") return text["offer.required"];
  if (!deadline) return "";
  const date = new Intl.DateTimeFormat(document.documentElement.lang, { dateStyle: "long", timeZone: "UTC" });
  return fill(text["offer.deadline"], { date: date.format(new Date(deadline)) });
}

// Who is here already

/** What an application wants to have proved again, from the address. */
function wantedProof() {
  const maxAge = Number.parseInt(query.get("max_age"), 10);
  const wanted = {
    kinds: query.get("kinds")?.split(",").filter(Boolean),
    assurance: ["aal1", "aal2", "aal3"].find((level) => level === query.get("assurance")),
    maxAge: Number.isFinite(maxAge) && maxAge >= 0 ? maxAge : undefined,
  };
  const isEmpty = !wanted.kinds?.length && !wanted.assurance && wanted.maxAge === undefined;
  return isEmpty ? undefined : { ...wanted, returnTo };
}

async function current() {
  if (document.body.dataset.pending !== "yes") return undefined;
  try {
    const session = await call("GET", "/session");
    return session.restricted ? undefined : session;
  } catch {
    return undefined;
  }
}

async function proveAgain({ account }, wanted) {
  const place = $("#step-up");
  $("#sign-in").hidden = true;
  place.hidden = false;
  reveal();
  const other = element("button", { type: "button", className: "wide" }, text["stepUp.other"]);
  onAction(other, "click", async () => {
    await call("DELETE", "/session");
    leave(returnTo ? `/sign-in?return_to=${encodeURIComponent(returnTo)}` : "/sign-in");
  });
  try {
    await finish(await stepUp(place, account, wanted, other));
  } catch (problem) {
    const isImpossible = problem.code === "step_up_impossible" || problem.code === "unknown_kind";
    const explanation = element("p", { role: "alert" });
    if (isImpossible) explanation.textContent = text["stepUp.impossible"];
    else showError(explanation, problem);
    const home = element("a", { className: "button primary wide", href: "/account" }, text["stepUp.account-page"]);
    const title = element("h1", { tabIndex: -1 }, text["stepUp.title"]);
    place.replaceChildren(title, explanation, home, other);
    title.focus();
  }
}

async function start() {
  reloadWhenRestored();
  const session = await current();
  const wanted = wantedProof();
  if (session && wanted) return proveAgain(session, wanted);
  if (session) return leave(returnTo);
  const notice = text[`notice.${query.get("notice")}`];
  if (notice) $("#notice").textContent = notice;
  wire();
  const half = document.body.dataset.secondFactor;
  if (half) proveMore(JSON.parse(half));
  reveal();
  if (!half) startAutofill();
}

start();
