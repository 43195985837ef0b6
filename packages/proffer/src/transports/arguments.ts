import { type ClusterSettings, toClusterSettings } from "../nodes/environment/redis-nodes.ts";
import { UsageError } from "../support/usage-error.ts";
import { type CommandLine, describeFlags, type Flag, parseCommandLine, wrongFlag } from "./flags.ts";
import { SERVE_FLAGS, type Serving, toServing } from "./serve-flags.ts";

/** The settings in the arguments and variables of a process. */
export interface Arguments {
  readonly serving: Serving;
  readonly cluster: ClusterSettings;
  /** The arguments of the server itself. */
  readonly rest: CommandLine["rest"];
}

const HELP: Flag = { name: "--help", help: "show this help" };

/**
 * Reads the arguments and variables of this process. `--help` ends it.
 * @throws {UsageError} with the usage, for invalid ones.
 */
export function parseArguments(): Arguments {
  const usage = `node ${process.argv[1]} [options] [-- arguments of the server]`;
  const flags = [...SERVE_FLAGS, HELP];
  try {
    const line = parseCommandLine(process.argv.slice(2), flags);
    if (line.flags.has(HELP.name)) {
      console.log(`Usage: ${usage}\n\nServes over stdin and stdout, or over HTTP.\n\n${describeFlags(flags)}`);
      process.exit(0);
    }
    const [operand] = line.operands;
    if (operand === undefined) {
      return { serving: toServing(line, process.env), cluster: toClusterSettings(process.env), rest: line.rest };
    }
    throw wrongFlag(`Unexpected argument ${JSON.stringify(operand)}. The arguments of the server follow after --.`);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    throw new UsageError(`${error.message}\nUsage: ${usage}`, error.code, { cause: error });
  }
}
