import { checkScopes } from "../support/scope.ts";
import { UsageError } from "../support/usage-error.ts";
import { type Resource, withoutQuery } from "./define.ts";
import { type ResourceGroupOptions, toRules } from "./rules.ts";

/**
 * Applies shared rules to resources: how their URIs are parsed, in which order they are checked, and which code and
 * message each rejection has. Omitted options keep the defaults of resources without a group.
 *
 * @example
 * const orders = defineResourceGroup(
 *   {
 *     uri: "orders://",
 *     duplicates: "last",
 *     messages: { missing: ({ uri }) => `resource not found: ${uri}` },
 *   },
 *   [defineResource({ uri: "orders://{id}", name: "Order", read: ({ id }) => loadOrder(id) })],
 * );
 * defineServer({ name: "orders", version: "1.0.0", resources: [orders] });
 */
export function defineResourceGroup(
  options: ResourceGroupOptions,
  resources: readonly (Resource | readonly Resource[])[],
): readonly Resource[] {
  const rules = toRules(options);
  const scopes = checkScopes(options.scopes ?? [], "The scopes of a resource group");
  return (resources.flat() as Resource[]).map((resource) => {
    if (resource.uri.startsWith(rules.prefix)) {
      return {
        ...resource,
        rules,
        scopes: scopes.length === 0 ? resource.scopes : [...new Set([...scopes, ...(resource.scopes ?? [])])],
        description: rules.hideQuery ? withoutQueryInTemplate(resource) : resource.description,
      };
    }
    throw new UsageError(
      "bad_option",
      `Resource ${resource.uri} must start with ${rules.prefix}, the uri of its group.`,
    );
  });
}

function withoutQueryInTemplate({ uri, template, description }: Resource): Resource["description"] {
  return template === undefined ? description : { ...description, uriTemplate: withoutQuery(uri) };
}
