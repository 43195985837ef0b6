import type { CopyFormat, Draft } from "../protocol/api.ts";
import { asClient } from "./as-client.ts";
import { asPowerShell, asSh } from "./as-command.ts";
import { asConfig } from "./as-config.ts";
import { asCurl } from "./as-curl.ts";
import { asMessage } from "./as-message.ts";
import { asTest } from "./as-test.ts";
import type { Copied, CopySource } from "./copy-source.ts";

type Writer = (draft: Draft, source: CopySource, client?: string) => Copied;

const WRITERS: { readonly [Format in CopyFormat]: Writer } = {
  test: asTest,
  sh: asSh,
  powershell: asPowerShell,
  curl: asCurl,
  client: asClient,
  config: (_draft, source, client) => asConfig(source, client),
  "json-rpc": asMessage,
};

/** Writes a request as code, as a command or as a message. @throws {CommandError} if the server does not allow that. */
export function copyAs(format: CopyFormat, draft: Draft, source: CopySource, client?: string): Copied {
  return WRITERS[format](draft, source, client);
}
