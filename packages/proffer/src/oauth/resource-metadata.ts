import { metadataPath } from "../transports/http/metadata.ts";
import type { Metadata } from "../transports/http/protection.ts";
import type { Settings } from "./settings.ts";

/** The document that tells clients where to get a token for this server (RFC 9728). */
export class ResourceMetadata implements Metadata {
  readonly path: string;
  readonly #settings: Settings;
  readonly #scopes: () => readonly string[];

  constructor(settings: Settings, scopes: () => readonly string[]) {
    this.#settings = settings;
    this.#scopes = scopes;
    this.path = metadataPath(new URL(settings.resource).pathname);
  }

  get json(): string {
    const { resource, issuers, metadata } = this.#settings;
    const scopes = this.#scopes();
    return JSON.stringify({
      resource,
      authorization_servers: issuers.map(({ issuer }) => issuer),
      // Clients that get no challenge ask for all of them, so these are the first ones, not the whole catalog.
      ...(scopes.length > 0 && { scopes_supported: scopes }),
      bearer_methods_supported: ["header"],
      ...metadata,
    });
  }
}
