// The account page: what one signs in with, and where one is signed in.

import text from "./text.js";
import { call, fill, Problem } from "./api.js";
import { $, element, leave, onAction, reloadWhenRestored, reveal, showError, wireReveals } from "./ui.js";
import { stepUp } from "./stepup.js";
import * as webauthn from "./webauthn.js";

const kinds = document.body.dataset.kinds.split(" ");
let account;

const here = () => `/sign-in?return_to=${encodeURIComponent(`${location.origin}/account`)}`;

function say(words) {
  showError($("#error"));
  $("#status").textContent = words;
}

// Actions

/** Runs an action; where the gateway wants one to sign in again for it, that happens first, in a dialog. */
async function withFreshSession(action) {
  try {
    return await action();
  } catch (problem) {
    if (problem.code !== "fresh_session_required") throw problem;
    const { kinds: wantedKinds, assurance, maxAge } = problem;
    await confirmIdentity({ kinds: wantedKinds, assurance, maxAge });
    return action();
  }
}

/** The step-up dialog; closing it cancels what it was for. */
async function confirmIdentity(wanted) {
  const dialog = $("#step-up");
  const cancel = element("button", { type: "button", className: "wide" }, text.cancel);
  const cancelled = new Promise((_, reject) => {
    dialog.addEventListener("close", () => reject(new DOMException("", "AbortError")), { once: true });
    cancel.addEventListener("click", () => dialog.close());
  });
  cancelled.catch(() => {});
  try {
    const proof = stepUp(dialog, account, wanted, cancel);
    dialog.showModal();
    const { signals } = await Promise.race([proof, cancelled]);
    await webauthn.signalState(signals);
  } finally {
    dialog.close();
    dialog.replaceChildren();
  }
}

/** Wires a button whose action may fail, be cancelled, or find that nobody is signed in any more. */
function onButton(button, action, place = $("#error")) {
  onAction(button, button instanceof HTMLFormElement ? "submit" : "click", async () => {
    say("");
    showError(place);
    try {
      await action();
    } catch (problem) {
      if (problem.code === "session_required") return leave(here());
      const isImpossible = problem.code === "step_up_impossible";
      if (isImpossible) place.textContent = text["stepUp.impossible"];
      else showError(place, problem);
    }
  });
}

/** A dialog with two buttons; resolves with whether the second was chosen. */
function chosen(dialog) {
  dialog.returnValue = "";
  dialog.showModal();
  return new Promise((resolve) => {
    dialog.addEventListener("close", () => resolve(dialog.returnValue === "ok"), { once: true });
  });
}

async function isConfirmed(title, detail, action) {
  $("#confirm-title").textContent = title;
  $("#confirm-detail").textContent = detail;
  $("#confirm-ok").textContent = action;
  return chosen($("#confirm"));
}

function actionButton(label, name, action, className = "") {
  const button = element("button", { type: "button", className, "aria-label": `${label}: ${name}` }, label);
  onButton(button, action);
  return button;
}

// Lists

const day = new Intl.DateTimeFormat(undefined, { dateStyle: "medium" });
const moment = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" });

function item(name, detail, badge, ...actions) {
  const node = $("#item").content.cloneNode(true);
  $(".name", node).textContent = name;
  $(".hint", node).textContent = detail;
  if (badge) $(".name", node).after(element("span", { className: "badge" }, badge));
  $(".actions", node).append(...actions);
  return node;
}

function dates({ createdAt, lastUsedAt }) {
  const time = day.format(new Date(createdAt));
  if (!lastUsedAt) return fill(text["item.created"], { time });
  return fill(text["item.createdUsed"], { time, used: moment.format(new Date(lastUsedAt)) });
}

const nothing = (words) => element("li", { className: "hint" }, words);

function show(section, items, empty) {
  const list = $(`${section} ul`);
  list.replaceChildren(...(items.length ? items : [nothing(empty)]));
}

async function showPasskeys() {
  if (!kinds.includes("passkey")) return;
  const { passkeys } = await call("GET", "/passkeys");
  show("#passkeys", passkeys.map(passkeyItem), text["passkeys.none"]);
}

function passkeyItem(passkey) {
  const { name, provider, providerIcon } = passkey;
  const kept = passkey.backedUp ? text["passkeys.synced"] : passkey.deviceBound ? text["passkeys.local"] : "";
  const keeper = provider && provider !== name ? `${fill(text["passkeys.keeper"], { provider })} · ` : "";
  const node = item(
    name,
    keeper + dates(passkey),
    kept,
    actionButton(text["item.rename"], name, () => rename(passkey)),
    actionButton(text["item.delete"], name, () => remove(passkey), "danger"),
  );
  if (providerIcon) $(".name", node).before(element("img", { className: "keeper", src: providerIcon, alt: "" }));
  $(".what", node).append(...notes(passkey));
  return node;
}

/** What its owner should know of a passkey: that it needs the user name first, and what looked wrong. */
function notes({ discoverable, warnings }) {
  const named = discoverable === false ? [element("p", { className: "hint" }, text["passkeys.named"])] : [];
  const words = warnings.map((warning) => text[`passkeys.warning.${warning}`]);
  return [...named, ...words.map((each) => element("p", { className: "error" }, each))];
}

async function rename({ id, name }) {
  const field = $("#rename-name");
  field.value = name;
  const isChosen = chosen($("#rename"));
  field.select();
  if (!(await isChosen) || !field.value.trim()) return;
  await call("PATCH", `/passkeys/${id}`, { name: field.value.trim() });
  await showPasskeys();
  say(text["item.renamed"]);
}

async function remove({ id, name }) {
  const title = fill(text["passkeys.deleteTitle"], { name });
  if (!(await isConfirmed(title, text["passkeys.deleteDetail"], text["item.delete"]))) return;
  const { signals } = await withFreshSession(() => call("DELETE", `/passkeys/${id}`));
  await webauthn.signalState(signals);
  try {
    await showPasskeys();
    await showSessions();
  } catch (problem) {
    // The session came from that very passkey.
    if (problem.code === "session_required") return leave("/sign-in?notice=sessions-ended");
    throw problem;
  }
  say(text["passkeys.deleted"]);
}

async function addPasskey() {
  const { signals, session } = await withFreshSession(() => webauthn.enroll());
  await webauthn.signalState(signals);
  if (session) return location.reload();
  await showPasskeys();
  say(text["passkeys.added"]);
}

async function showDevices() {
  if (!kinds.includes("trusted-device")) return;
  const { trustedDevices } = await call("GET", "/trusted-devices");
  show("#devices", trustedDevices.map(deviceItem), "");
  // Apps enrol devices; a person who has none has nothing to do here.
  $("#devices").hidden = !trustedDevices.length;
  $("#keep-devices").hidden = !trustedDevices.length;
}

function deviceItem(device) {
  const name = device.name || device.platform;
  const badge = device.status === "active" ? "" : text["devices.expired"];
  return item(name, dates(device), badge, actionButton(text["devices.revoke"], name, () => revoke(device.id, name), "danger"));
}

async function revoke(id, name) {
  const title = fill(text["devices.revokeTitle"], { name });
  if (!(await isConfirmed(title, text["devices.revokeDetail"], text["devices.revoke"]))) return;
  await withFreshSession(() => call("DELETE", `/trusted-devices/${id}`));
  await showDevices();
  say(text["devices.revoked"]);
}

async function showSessions() {
  const { sessions } = await call("GET", "/sessions");
  sessions.sort((a, b) => b.current - a.current || b.lastSeenAt.localeCompare(a.lastSeenAt));
  show("#sessions", sessions.map(sessionItem), "");
  $("#end-others").hidden = sessions.length < 2;
  $("#sessions").hidden = false;
}

const browsers = [["Edg", "Edge"], ["OPR", "Opera"], ["Firefox", "Firefox"], ["Chrome", "Chrome"], ["Safari", "Safari"]];
const systems = [["iPhone", "iPhone"], ["iPad", "iPad"], ["Android", "Android"], ["Windows", "Windows"], ["Mac OS", "macOS"],
  ["CrOS", "ChromeOS"], ["Linux", "Linux"]];

function browserName(userAgent) {
  const find = (names) => names.find(([token]) => userAgent?.includes(token))?.[1];
  const [browser, system] = [find(browsers), find(systems)];
  if (browser && system) return fill(text["sessions.browserOn"], { browser, system });
  return browser ?? userAgent?.slice(0, 40) ?? text["sessions.unknown"];
}

function sessionItem(session) {
  const name = browserName(session.userAgent);
  const values = { time: moment.format(new Date(session.lastSeenAt)), address: session.ipAddress };
  const detail = fill(text[session.ipAddress ? "sessions.from" : "sessions.seen"], values);
  if (session.current) return item(name, detail, text["sessions.current"]);
  return item(name, detail, "", actionButton(text["sessions.end"], name, () => endSession(session.id)));
}

async function endSession(id) {
  await call("DELETE", `/sessions/${id}`);
  await showSessions();
  say(text["sessions.ended"]);
}

async function endOthers() {
  const title = text["sessions.endOthersTitle"];
  if (!(await isConfirmed(title, text["sessions.endOthersDetail"], text["sessions.end"]))) return;
  await call("DELETE", "/sessions");
  await showSessions();
  say(text["sessions.ended"]);
}

async function signOut(notice) {
  await call("DELETE", "/session");
  leave(`/sign-in?notice=${notice}`);
}

async function setPassword(isRestricted) {
  const [field, keep] = [$("#new-password"), $("#keep-devices input")];
  const body = { newPassword: field.value, keepTrustedDevices: keep.checked };
  await withFreshSession(() => call("PUT", "/password", body));
  if (isRestricted) return signOut("password-set");
  field.value = "";
  keep.checked = false;
  await showDevices();
  say(text["password.saved"]);
}

// The page

async function load() {
  const current = await call("GET", "/session");
  account = current.account;
  $("#who").textContent = account.displayName || account.username;
  $("#username").textContent = account.displayName === account.username ? "" : account.username;
  $("#password-username").value = account.username;
  $("#restricted").hidden = !current.restricted;
  $("#passkeys").hidden = !kinds.includes("passkey");
  $("#add-passkey").hidden = !webauthn.isSupported;
  $("#password").hidden = !kinds.includes("password") || current.scope === "first-passkey";
  $("#passkeys ul").hidden = current.restricted;
  if (!current.restricted) await Promise.all([showPasskeys(), showDevices(), showSessions()]);
  return current.restricted;
}

async function start() {
  reloadWhenRestored();
  try {
    const isRestricted = await load();
    onButton($("#sign-out"), () => signOut("signed-out"));
    onButton($("#add-passkey"), addPasskey);
    onButton($("#end-others"), endOthers);
    onButton($("#password-form"), () => setPassword(isRestricted), $("#password-error"));
    $("#rename-cancel").addEventListener("click", () => $("#rename").close());
    wireReveals();
  } catch (problem) {
    if (problem instanceof Problem && problem.code === "session_required") return leave(here());
    showError($("#error"), problem);
  }
  reveal();
  $("#who").focus();
  if (location.hash) $(location.hash.replace(/[^#\w-]/g, ""))?.scrollIntoView();
}

start();
