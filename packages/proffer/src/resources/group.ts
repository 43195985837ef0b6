import { UsageError } from "../support/usage-error.ts";
import { type Resource, withoutQuery } from "./define.ts";
import { type ContractOptions, toContract } from "./rules.ts";

/**
 * Gives resources a contract of their own: how their URIs are read, in which order they are checked, and with which code
 * and words they are refused. Everything that is left out stays as it is for resources without a group.
 */
export function resourceGroup(
  options: ContractOptions,
  resources: readonly (Resource | readonly Resource[])[],
): readonly Resource[] {
  const contract = toContract(options);
  return (resources.flat() as Resource[]).map((resource) => {
    if (resource.uri.startsWith(contract.prefix)) {
      return { ...resource, contract, description: contract.hideQuery ? hidden(resource) : resource.description };
    }
    throw new UsageError(
      "bad_option",
      `Resource ${resource.uri} is in the group ${contract.prefix}, but its uri does not begin so.`,
    );
  });
}

function hidden({ uri, template, description }: Resource): Resource["description"] {
  return template === undefined ? description : { ...description, uriTemplate: withoutQuery(uri) };
}
