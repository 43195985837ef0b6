import { UsageError } from "../support/usage-error.ts";
import { type Resource, withoutQuery } from "./define.ts";
import { type ResourceGroupOptions, toRules } from "./rules.ts";

/**
 * Gives resources a contract of their own: how their URIs are read, in which order they are checked, and with which code
 * and words they are refused. Everything that is left out stays as it is for resources without a group.
 */
export function defineResourceGroup(
  options: ResourceGroupOptions,
  resources: readonly (Resource | readonly Resource[])[],
): readonly Resource[] {
  const rules = toRules(options);
  return (resources.flat() as Resource[]).map((resource) => {
    if (resource.uri.startsWith(rules.prefix)) {
      return { ...resource, rules, description: rules.hideQuery ? hidden(resource) : resource.description };
    }
    throw new UsageError(
      "bad_option",
      `Resource ${resource.uri} is in the group ${rules.prefix}, but its uri does not begin so.`,
    );
  });
}

function hidden({ uri, template, description }: Resource): Resource["description"] {
  return template === undefined ? description : { ...description, uriTemplate: withoutQuery(uri) };
}
