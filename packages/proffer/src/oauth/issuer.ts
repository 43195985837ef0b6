import type { Environment } from "./environment.ts";
import { IssuerMetadata } from "./issuer-metadata.ts";
import { KeySet } from "./key-set.ts";
import type { IssuerSettings } from "./settings.ts";

/** An authorization server whose tokens are accepted. */
export class Issuer {
  readonly settings: IssuerSettings;
  readonly metadata: IssuerMetadata;
  readonly keys: KeySet;

  constructor(settings: IssuerSettings, environment: Environment) {
    this.settings = settings;
    this.metadata = new IssuerMetadata(settings, environment);
    this.keys = new KeySet(settings, this.metadata, environment);
  }
}
