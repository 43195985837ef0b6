import type { ServerState } from "../../../server/server.ts";
import type { HttpOptions } from "../options.ts";

/**
 * The warning of a server that other machines can connect to without authentication, if it has tools that are marked as
 * destructive; undefined if there is no reason for one.
 */
export function exposureOf(
  host: string,
  { tools }: Pick<ServerState, "tools">,
  { authenticate }: HttpOptions,
): string | undefined {
  if (authenticate !== undefined) return undefined;
  const destructive = [...tools].filter(({ description }) => description.annotations?.destructiveHint === true);
  const [first] = destructive;
  if (first === undefined) return undefined;
  const others = destructive.length - 1;
  const more = others === 0 ? "" : ` and ${others} more destructive ${others === 1 ? "tool" : "tools"}`;
  return (
    `Listening on ${host || "all interfaces"} without authentication: everyone who reaches the server may call the ` +
    `destructive tool "${first.name}"${more}. Set authenticate, or --oauth-issuer and --oauth-resource.`
  );
}
