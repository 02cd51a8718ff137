// One-time links: the token stands in the fragment, which browsers keep to themselves, and goes into a body only.

import text from "./text.js";
import { call } from "./api.js";
import { $, leave, onAction, reloadWhenRestored, showError } from "./ui.js";

const token = location.hash.slice(1);
const error = $("#error");

reloadWhenRestored();
if (!token) error.textContent = text["link.missing"];

onAction($("#link-form"), "submit", async () => {
  showError(error);
  const body = { token };
  if (document.body.dataset.link === "setup") {
    body.username = $("#username").value.trim();
    body.displayName = $("#display-name").value.trim() || undefined;
  }
  try {
    await call("POST", `/${document.body.dataset.link}`, body);
    leave("/account");
  } catch (problem) {
    showError(error, problem, "link");
  }
});
