/**
 * Internal: used by @proffer/cli, and by built servers with arguments or variables. No stability promise.
 *
 * @internal
 * @module
 */

export type { Choice, ChosenNames } from "./features/toolsets/choice.ts";
export { type Arguments, parseArguments } from "./transports/arguments.ts";
export { type ClusterSettings, toClusterSettings } from "./transports/cluster-flags.ts";
export { type CommandLine, describeFlag, type Flag, parseCommandLine } from "./transports/flags.ts";
export type { OAuthFlags } from "./transports/oauth-flags.ts";
export { type LogFormat, SERVE_FLAGS, type Serving, toServing, type Variables } from "./transports/serve-flags.ts";
