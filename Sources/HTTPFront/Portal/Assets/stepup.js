// Proving once more who one is, on the sign-in page and in a dialog of the account page.

import text from "./text.js";
import { begin, call, fill, isStale, Problem } from "./api.js";
import { element, onAction, showError, wireReveals } from "./ui.js";
import * as webauthn from "./webauthn.js";

const levels = ["aal1", "aal2", "aal3"];

/** What the account may answer with. A password never raises the level, so it isn't shown where a higher one is wanted. */
async function possibilities(wanted) {
  const { requests } = await begin("/sign-in/options", { ...wanted, stepUp: true });
  const kinds = requests.map((each) => each.kind);
  const passkey = kinds.includes("passkey") && webauthn.isSupported;
  const password = kinds.includes("password") && !(levels.indexOf(wanted.assurance) > 0);
  if (!passkey && !password) throw new Problem("step_up_impossible");
  return { passkey, password };
}

async function withPassword(wanted, identifier, password) {
  for (let isLast = false; ; isLast = true) {
    const { ceremonyId } = await begin("/sign-in/options", { ...wanted, stepUp: true, kinds: ["password"] });
    try {
      const credential = { kind: "password", identifier, password };
      return await call("POST", "/sign-in/verify", { ceremonyId, credential });
    } catch (error) {
      if (isLast || !isStale(error)) throw error;
    }
  }
}

/** A form for the password of somebody whose name is known. */
export function passwordForm(account) {
  return element(
    "form",
    { className: "stack" },
    element("input", { type: "text", autocomplete: "username", value: account.username, hidden: true }),
    element(
      "div",
      {},
      element("label", { htmlFor: "step-up-password" }, text["signIn.password"]),
      element(
        "div",
        { className: "with-reveal" },
        element("input", {
          id: "step-up-password",
          type: "password",
          required: true,
          autocomplete: "current-password",
          autocapitalize: "none",
          spellcheck: false,
          "aria-describedby": "step-up-error",
        }),
        element(
          "button",
          { type: "button", className: "reveal", "aria-controls": "step-up-password", "aria-pressed": "false" },
          text["password.show"],
        ),
      ),
    ),
    element("button", { className: "secondary wide" }, text["stepUp.password"]),
  );
}

/**
 * Asks the person who is signed in to prove it again, in `place`.
 *
 * @param wanted `kinds`, `assurance`, `maxAge` and `returnTo`, each optional.
 * @param extra Elements shown below, such as a way out.
 * @returns The answer of the gateway, once what is wanted is proved.
 * @throws Problem `step_up_impossible` if the account has nothing that would do.
 */
export async function stepUp(place, account, wanted, ...extra) {
  const possible = await possibilities(wanted);
  return new Promise((resolve) => {
    const heading = place instanceof HTMLDialogElement ? "h2" : "h1";
    const title = element(heading, { id: "step-up-title", tabIndex: -1 }, text["stepUp.title"]);
    const name = account.displayName || account.username;
    const explanation = element("p", { className: "muted" }, fill(text["stepUp.account"], { name }));
    const error = element("p", { id: "step-up-error", className: "error", role: "alert" });
    place.replaceChildren(title, explanation, error);

    const attempt = async (proof) => {
      showError(error);
      try {
        const answer = await proof();
        const isEnough = levels.indexOf(answer.session.assurance) >= levels.indexOf(wanted.assurance);
        if (isEnough) resolve(answer);
        else error.textContent = text["stepUp.weak"];
      } catch (problem) {
        showError(error, problem);
      }
    };
    if (possible.passkey) {
      const button = element("button", { type: "button", className: "primary wide" }, text["stepUp.passkey"]);
      onAction(button, "click", () => attempt(() => webauthn.request({ ...wanted, stepUp: true })));
      place.append(button);
    }
    if (possible.password) {
      const form = passwordForm(account);
      const field = form.querySelector("#step-up-password");
      onAction(form, "submit", async () => {
        await attempt(() => withPassword(wanted, account.username, field.value));
        field.select();
      });
      if (possible.passkey) place.append(element("p", { className: "or" }, text["signIn.or"]));
      place.append(form);
    }
    place.append(...extra);
    wireReveals(place);
    title.focus();
  });
}
