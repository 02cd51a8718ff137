// Small things that every page does. Text from the gateway only ever becomes text.

import text from "./text.js";
import { message } from "./api.js";

export const $ = (selector, root = document) => root.querySelector(selector);

/** An element with properties and children; strings become text nodes. */
export function element(tag, properties = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (name in node) node[name] = value;
    else node.setAttribute(name, value);
  }
  node.append(...children);
  return node;
}

/** Shows an error where it belongs, or takes it away; a screen reader says it. */
export function showError(place, error, scope) {
  place.textContent = error ? message(error, scope) : "";
}

/** Runs an action for a button, once at a time. It stays focusable, so that nobody loses their place. */
export function onAction(target, event, action) {
  let isBusy = false;
  target.addEventListener(event, async (occurrence) => {
    occurrence.preventDefault();
    if (isBusy) return;
    isBusy = true;
    const button = occurrence.submitter ?? (target instanceof HTMLButtonElement ? target : null);
    button?.setAttribute("aria-disabled", "true");
    try {
      await action(occurrence);
    } finally {
      isBusy = false;
      button?.removeAttribute("aria-disabled");
    }
  });
}

/** The buttons beside password fields. */
export function wireReveals(root = document) {
  for (const button of root.querySelectorAll(".reveal")) {
    button.addEventListener("click", () => {
      const field = document.getElementById(button.getAttribute("aria-controls"));
      const isShown = field.type === "password";
      field.type = isShown ? "text" : "password";
      button.textContent = text[isShown ? "password.hide" : "password.show"];
      button.setAttribute("aria-pressed", String(isShown));
    });
  }
}

/** A page that comes back from the back/forward cache may show what is no longer so. */
export function reloadWhenRestored() {
  addEventListener("pageshow", (event) => {
    if (event.persisted) location.reload();
  });
}

/** Shows the page. */
export function reveal() {
  document.body.dataset.pending = "no";
}

/** Leaves for an address that the gateway checked; this page doesn't stay in the history. */
export function leave(address = `/account${location.hash}`) {
  const url = new URL(address, location.origin);
  location.replace(url.protocol === "https:" || url.protocol === "http:" ? url.href : "/account");
}
