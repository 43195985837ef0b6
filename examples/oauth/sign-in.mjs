// Signs in as a client does, but without a browser, and prints the access token:
//   node sign-in.mjs ada orders:read orders:write

import { createHash, randomBytes } from "node:crypto";
import { pathToFileURL } from "node:url";

const ISSUER = process.env.ISSUER ?? "http://127.0.0.1:9000";
const RESOURCE = process.env.RESOURCE ?? "http://127.0.0.1:3000/mcp";
/** Nothing listens there: the code is read from the address. */
export const REDIRECT = "http://127.0.0.1:1/callback";

/** Registers a client and returns an access token of the user. */
export async function signIn(user, scopes) {
  const { client_id } = await post(
    "/reg",
    JSON.stringify({ redirect_uris: [REDIRECT], ...PUBLIC }),
    "application/json",
  );
  const verifier = randomBytes(32).toString("base64url");
  const url = new URL("/auth", ISSUER);
  url.search = new URLSearchParams({
    ...{ client_id, response_type: "code", redirect_uri: REDIRECT, resource: RESOURCE, scope: scopes.join(" ") },
    code_challenge: createHash("sha256").update(verifier).digest("base64url"),
    code_challenge_method: "S256",
  }).toString();
  const code = (await browse(url, user)).searchParams.get("code");
  const form = { grant_type: "authorization_code", code, code_verifier: verifier, redirect_uri: REDIRECT, client_id };
  const { access_token } = await post("/token", new URLSearchParams({ ...form, resource: RESOURCE }));
  return access_token;
}

/** A client that runs on the user's machine and cannot keep a secret. */
const PUBLIC = {
  token_endpoint_auth_method: "none",
  application_type: "native",
  grant_types: ["authorization_code", "refresh_token"],
};

/** Fills in the pages for signing in and consent as a user would; returns the address that the client receives. */
export async function browse(start, user) {
  const cookies = new Map();
  let url = start;
  let body;
  for (let page = 0; page < 12; page++) {
    const cookie = [...cookies].map((each) => each.join("=")).join("; ");
    const response = await fetch(url, {
      headers: { cookie },
      redirect: "manual",
      ...(body && { method: "POST", body }),
    });
    for (const each of response.headers.getSetCookie()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(each);
      cookies.set(name, value);
    }
    const location = response.headers.get("location");
    const html = await response.text();
    url = new URL(location ?? /<form[^>]* action="([^"]+)"/.exec(html)?.[1] ?? fail(html), url);
    if (url.href.startsWith(REDIRECT)) return url;
    const [, prompt] = /name="prompt" value="([^"]*)"/.exec(html) ?? [];
    body = location === null ? new URLSearchParams({ prompt, login: user, password: "any" }) : undefined;
  }
  throw new Error(`Signing in did not end: ${url}`);
}

function fail(html) {
  throw new Error(`The page has no form: ${html.replaceAll(/<[^>]*>/g, " ").slice(0, 500)}`);
}

async function post(path, body, type = "application/x-www-form-urlencoded") {
  const response = await fetch(new URL(path, ISSUER), { method: "POST", body, headers: { "content-type": type } });
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  return response.json();
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const [user = "ada", ...scopes] = process.argv.slice(2);
  console.log(await signIn(user, scopes.length === 0 ? ["orders:read"] : scopes));
}
