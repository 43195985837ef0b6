import type { Protection } from "../transports/http/protection.ts";
import { createEnvironment } from "./environment.ts";
import { requireJose } from "./jose.ts";
import type { OAuthOptions } from "./options.ts";
import { OAuthProtection } from "./protection.ts";
import { toSettings } from "./settings.ts";

/**
 * Protects a server with OAuth access tokens, as the MCP specification describes: verifies tokens, publishes the metadata
 * by which clients find the authorization server, and answers other requests with challenges. Needs the package `jose`.
 * @throws {UsageError} for invalid options, or if `jose` is not installed.
 *
 * @example
 * await serveHttp(server, {
 *   authenticate: oauth({
 *     issuer: "https://login.example.com",
 *     resource: "https://tools.example.com/mcp",
 *     scopes: ["orders:read"],
 *   }),
 * });
 */
export function oauth(options: OAuthOptions): Protection {
  requireJose();
  return new OAuthProtection(toSettings(options), createEnvironment());
}
