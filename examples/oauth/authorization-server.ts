import { generateKeyPairSync, randomBytes } from "node:crypto";
import http from "node:http";
import Provider from "oidc-provider";

/** Where the authorization server listens; `--oauth-issuer` names it. */
const PORT = Number(process.env.SIGN_IN_PORT ?? 9000);
const SCOPES = ["orders:read", "orders:write", "orders:admin"];

/**
 * Starts a real authorization server, for trying things on one machine: any name signs in with any password, and all
 * keys are lost when it stops. Returns a function that stops it.
 */
export async function startAuthorizationServer(): Promise<() => Promise<void>> {
  const issuer = `http://127.0.0.1:${PORT}`;
  const listener = http.createServer(new Provider(issuer, settings()).callback());
  await new Promise<void>((resolve, reject) => {
    listener.once("error", reject).listen(PORT, "127.0.0.1", resolve);
  });
  return async () => {
    listener.closeAllConnections();
    await new Promise((resolve) => listener.close(resolve));
  };
}

function settings(): object {
  return {
    jwks: { keys: [key("ec", "ES256"), key("rsa", "RS256")] },
    cookies: { keys: [randomBytes(16).toString("hex")] },
    scopes: ["openid", "offline_access", ...SCOPES],
    pkce: { required: () => true },
    findAccount: (_request: unknown, id: string) => ({ accountId: id, claims: () => ({ sub: id }) }),
    ttl: { AccessToken: 600, Grant: 3600, IdToken: 600, Interaction: 600, RefreshToken: 3600, Session: 3600 },
    features: {
      // Pages for signing in and consent without any security.
      devInteractions: { enabled: true },
      registration: { enabled: true },
      revocation: { enabled: true },
      resourceIndicators: {
        enabled: true,
        useGrantedResource: () => true,
        // Tokens are JWTs for the resource that the client names.
        getResourceServerInfo: (_request: unknown, resource: string) => ({
          ...{ scope: SCOPES.join(" "), audience: resource, accessTokenFormat: "jwt", jwt: { sign: { alg: "ES256" } } },
        }),
      },
    },
    // A client registers with the scopes of the first challenge and asks for more later, so they must not bind it.
    extraClientMetadata: {
      properties: ["any_scope"],
      validator: (_request: unknown, _name: string, _value: unknown, client: { scope?: string }) => {
        delete client.scope;
      },
    },
  };
}

function key(type: "ec" | "rsa", alg: string): object {
  const { privateKey } =
    type === "ec"
      ? generateKeyPairSync("ec", { namedCurve: "P-256" })
      : generateKeyPairSync("rsa", { modulusLength: 2048 });
  return { ...privateKey.export({ format: "jwk" }), alg, use: "sig", kid: alg };
}
