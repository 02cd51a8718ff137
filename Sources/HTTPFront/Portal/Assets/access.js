// Which access rule decides a request, for administrators.

import text from "./text.js";
import { call, fill } from "./api.js";
import { $, element, leave, onAction, reloadWhenRestored, reveal, showError } from "./ui.js";
import { stepUp } from "./stepup.js";

const form = $("#access-form");
let account;

/** What the form holds; what was left empty isn't asked about. */
function question() {
  const fields = Object.fromEntries(new FormData(form));
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value));
}

/** Asks, and lets an administrator prove a second factor where one is missing. */
async function explain(body) {
  try {
    return await call("POST", "/access/explain", body);
  } catch (problem) {
    if (problem.code !== "step_up_required") throw problem;
    const dialog = $("#step-up");
    dialog.showModal();
    try {
      await stepUp(dialog, account, { assurance: problem.assurance });
    } finally {
      dialog.close();
    }
    return call("POST", "/access/explain", body);
  }
}

function ruleLine({ number, rule, matches, differs }) {
  const verdict = matches ? text["access.matches"] : fill(text["access.differs"], { part: text[`access.part.${differs}`] });
  return element("li", { value: number }, element("code", {}, rule), " — ", verdict);
}

function show(answer) {
  $("#answer-title").textContent = text[`access.decision.${answer.decision}`];
  $("#compared").textContent = answer.reason;
  $("#rules").replaceChildren(...answer.rules.map(ruleLine));
  const sessions = answer.sessions ?? [];
  const lines = sessions.map(({ methods, assurance, verdict }) =>
    element("li", {}, `${methods.join(", ")} (${assurance}): ${verdict}`),
  );
  $("#sessions").hidden = !answer.sessions;
  $("#sessions ul").replaceChildren(...(lines.length ? lines : [element("li", {}, text["access.noSession"])]));
  $("#answer").hidden = false;
  $("#answer-title").focus();
}

async function start() {
  reloadWhenRestored();
  try {
    ({ account } = await call("GET", "/session"));
  } catch {
    return leave("/sign-in");
  }
  onAction(form, "submit", async () => {
    showError($("#error"));
    try {
      show(await explain(question()));
    } catch (problem) {
      showError($("#error"), problem, "access");
    }
  });
  reveal();
}

start();
