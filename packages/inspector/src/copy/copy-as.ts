import type { CopyFormat, Draft } from "../protocol/api.ts";
import type { CopiedText } from "../support/host.ts";
import { asCurl, asMessage, asPowerShell, asSh, type CopySource } from "./commands.ts";
import { asClient, asTest } from "./programs.ts";

type Writer = (draft: Draft, source: CopySource, client?: string) => CopiedText;

const WRITERS: { readonly [Format in CopyFormat]: Writer } = {
  test: asTest,
  sh: asSh,
  powershell: asPowerShell,
  curl: asCurl,
  client: asClient,
  config: (_draft, { toConfiguration, serverName }, client = "") => toConfiguration(client, serverName),
  "json-rpc": asMessage,
};

/** Writes a request as code, as a command or as a message. @throws {ApiProblem} if the server does not allow that. */
export function copyAs(format: CopyFormat, draft: Draft, source: CopySource, client?: string): CopiedText {
  return WRITERS[format](draft, source, client);
}
