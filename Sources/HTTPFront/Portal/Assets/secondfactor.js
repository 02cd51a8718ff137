// The second step of a sign-in, where one proof isn't enough.

import text from "./text.js";
import { call, fill, isStale } from "./api.js";
import { element, onAction, showError, wireReveals } from "./ui.js";
import { passwordForm } from "./stepup.js";
import * as webauthn from "./webauthn.js";

function passkeyButton(prove) {
  const button = element("button", { type: "button", className: "primary wide" }, text["stepUp.passkey"]);
  onAction(button, "click", prove);
  return button;
}

/**
 * Asks for one more proof, in `place`.
 *
 * @param answer What the gateway said to the first: `account`, `ceremonyId` and `requests`.
 * @returns The answer of the gateway to the second.
 * @throws Problem once the ceremony can't be completed any more.
 */
export function secondFactor(place, { account, ceremonyId, requests }) {
  return new Promise((resolve, reject) => {
    const title = element("h1", { id: "second-factor-title", tabIndex: -1 }, text["secondFactor.title"]);
    const name = account?.displayName || account?.username;
    const explanation = element("p", { className: "muted" }, fill(text["secondFactor.account"], { name }));
    const error = element("p", { id: "step-up-error", className: "error", role: "alert" });
    place.replaceChildren(title, explanation, error);

    const attempt = async (proof) => {
      showError(error);
      try {
        resolve(await proof());
      } catch (problem) {
        if (isStale(problem)) reject(problem);
        else showError(error, problem);
      }
    };
    const options = webauthn.isSupported && requests.find(({ kind }) => kind === "passkey")?.options;
    if (options) {
      const prove = async () => webauthn.verify(ceremonyId, options, await webauthn.get(options));
      place.append(passkeyButton(() => attempt(prove)));
    }
    if (requests.some(({ kind }) => kind === "password")) {
      const form = passwordForm(account);
      const field = form.querySelector("#step-up-password");
      onAction(form, "submit", async () => {
        const credential = { kind: "password", identifier: account.username, password: field.value };
        await attempt(() => call("POST", "/sign-in/verify", { ceremonyId, credential }));
        field.select();
      });
      if (options) place.append(element("p", { className: "or" }, text["signIn.or"]));
      place.append(form);
    }
    if (place.childElementCount === 3) error.textContent = text["secondFactor.impossible"];
    wireReveals(place);
    title.focus();
  });
}
