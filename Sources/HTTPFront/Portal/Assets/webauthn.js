// The browser's credential API, in JSON on both sides.

import { begin, call, isStale, Problem } from "./api.js";

export const isSupported = Boolean(window.PublicKeyCredential && navigator.credentials?.get);

/** Whether passkeys can be offered in the autofill list of the user name field. */
export async function canAutofill() {
  try {
    return isSupported && Boolean(await PublicKeyCredential.isConditionalMediationAvailable?.());
  } catch {
    return false;
  }
}

/** Whether the browser can make a passkey without asking, right after a password sign-in. */
export async function canCreateQuietly() {
  try {
    const capabilities = await PublicKeyCredential.getClientCapabilities?.();
    return isSupported && Boolean(capabilities?.conditionalCreate);
  } catch {
    return false;
  }
}

const bytes = (text) =>
  Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (character) => character.charCodeAt(0));

function base64url(buffer) {
  let binary = "";
  for (const byte of new Uint8Array(buffer)) binary += String.fromCharCode(byte);
  return btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

const descriptors = (list) => list?.map((each) => ({ ...each, id: bytes(each.id) }));

function creationOptions(json) {
  if (PublicKeyCredential.parseCreationOptionsFromJSON) return PublicKeyCredential.parseCreationOptionsFromJSON(json);
  return {
    ...json,
    challenge: bytes(json.challenge),
    user: { ...json.user, id: bytes(json.user.id) },
    excludeCredentials: descriptors(json.excludeCredentials),
  };
}

function requestOptions(json) {
  if (PublicKeyCredential.parseRequestOptionsFromJSON) return PublicKeyCredential.parseRequestOptionsFromJSON(json);
  return { ...json, challenge: bytes(json.challenge), allowCredentials: descriptors(json.allowCredentials) };
}

/** Extensions that stand in for the browser's API return objects of their own, often without `toJSON`. */
function credentialJSON(credential) {
  try {
    if (typeof credential.toJSON === "function") return credential.toJSON();
  } catch {
    // By hand, then.
  }
  const { response } = credential;
  const json = { clientDataJSON: base64url(response.clientDataJSON) };
  for (const name of ["attestationObject", "authenticatorData", "signature", "userHandle"]) {
    if (response[name]) json[name] = base64url(response[name]);
  }
  try {
    if (response.getTransports) json.transports = response.getTransports();
  } catch {
    // A hint that can be done without.
  }
  return {
    id: credential.id,
    rawId: base64url(credential.rawId),
    type: "public-key",
    authenticatorAttachment: credential.authenticatorAttachment ?? undefined,
    clientExtensionResults: credential.getClientExtensionResults?.() ?? {},
    response: json,
  };
}

/** Asks for an assertion. */
export async function get(options, { mediation, signal } = {}) {
  return credentialJSON(await navigator.credentials.get({ publicKey: requestOptions(options), mediation, signal }));
}

/** Makes a passkey. */
export async function create(options, { mediation, signal } = {}) {
  return credentialJSON(await navigator.credentials.create({ publicKey: creationOptions(options), mediation, signal }));
}

/** Verifies an assertion; a passkey that the gateway doesn't know is no longer shown by the browser. */
export async function verify(ceremonyId, options, response) {
  try {
    return await call("POST", "/sign-in/verify", { ceremonyId, credential: { kind: "passkey", response } });
  } catch (error) {
    if (error instanceof Problem) {
      error.isFromPasskey = true;
      const credentialId = error.signals?.unknownCredentialId;
      if (credentialId) signal("signalUnknownCredential", { rpId: options.rpId, credentialId });
    }
    throw error;
  }
}

/** Runs a passkey request from beginning to end; one that went stale meanwhile is begun again, once. */
export async function request(body) {
  for (let isLast = false; ; isLast = true) {
    const begun = await begin("/sign-in/options", { ...body, kinds: ["passkey"], mediation: "modal" });
    const options = begun.requests.find((each) => each.kind === "passkey")?.options;
    if (!options) throw new Problem("unknown_kind");
    const response = await get(options);
    try {
      return await verify(begun.ceremonyId, options, response);
    } catch (error) {
      if (isLast || !isStale(error)) throw error;
    }
  }
}

/**
 * Makes a passkey and registers it.
 *
 * @param begun An answer of /passkeys/register/options that was given before, if any.
 */
export async function enroll(begun) {
  for (let isLast = false; ; isLast = true) {
    const ceremony = begun ?? (await call("POST", "/passkeys/register/options", {}));
    begun = undefined;
    const response = await create(ceremony.options);
    try {
      return await call("POST", "/passkeys/register/verify", { ceremonyId: ceremony.ceremonyId, response });
    } catch (error) {
      if (isLast || !isStale(error)) throw error;
    }
  }
}

async function signal(method, details) {
  try {
    await PublicKeyCredential[method]?.(details);
  } catch {
    // Advice for the browser; nothing depends on it.
  }
}

/** Tells the browser which passkeys there are, and what the account is called. Takes half a second at most. */
export async function signalState(signals) {
  if (!signals || !isSupported) return;
  const { rpId, userId, allAcceptedCredentialIds, name, displayName } = signals;
  await Promise.race([
    Promise.all([
      signal("signalAllAcceptedCredentials", { rpId, userId, allAcceptedCredentialIds }),
      signal("signalCurrentUserDetails", { rpId, userId, name, displayName }),
    ]),
    new Promise((resolve) => setTimeout(resolve, 500)),
  ]);
}
