import type { Call } from "../calls/call.ts";
import { routeFor } from "../catalog/find.ts";
import { type Entry, type Public, Registry } from "../catalog/registry.ts";
import type { RpcError } from "../protocol/errors.ts";
import type { Revision } from "../protocol/revisions/revision.ts";
import type { SerializedResult } from "../results/encode.ts";
import { UsageError } from "../support/usage-error.ts";
import { MAX_TEMPLATE_LENGTH, MAX_URI_LENGTH, TemplateError } from "../uri/parse.ts";
import { Routes } from "../uri/routes.ts";
import { checkDotSegments, checkMatch, refusalError } from "./check-match.ts";
import type { Params } from "./check-params.ts";
import type { Resource } from "./define.ts";
import { DEFAULT_RULES, type ResourceRules } from "./rules.ts";

/** Holds resources and templates: lists them in registration order and finds them by URI. */
export class ResourceRegistry extends Registry<Resource> {
  readonly routes = new Routes<Resource>();
  readonly #serialized = new Map<Resource, Map<Revision, SerializedResult>>();
  readonly #groups = new Map<ResourceRules, number>();
  #sources: readonly Entry<Resource>[] | undefined;

  constructor(changed: (added?: Resource) => void) {
    super("resource", "uri", changed);
  }

  override add(resource: Resource): void {
    checkLength(resource);
    this.#invalidateSources(resource);
    super.add(resource);
    try {
      this.routes.add(resource.template ?? resource.uri, resource, resource.rules.match);
    } catch (cause) {
      this.#invalidateSources(resource);
      super.remove(resource.uri);
      if (cause instanceof TemplateError) throw new UsageError(cause.message, "duplicate", { cause });
      throw cause;
    }
    const { rules } = resource;
    if (rules !== DEFAULT_RULES) this.#groups.set(rules, (this.#groups.get(rules) ?? 0) + 1);
  }

  override remove(uri: string): boolean {
    const resource = this.get(uri);
    if (resource === undefined) return false;
    this.routes.remove(uri);
    this.#serialized.delete(resource);
    this.#invalidateSources(resource);
    const others = (this.#groups.get(resource.rules) ?? 1) - 1;
    if (others === 0) this.#groups.delete(resource.rules);
    else if (resource.rules !== DEFAULT_RULES) this.#groups.set(resource.rules, others);
    return super.remove(uri);
  }

  /** Clears the cached sources if the resource is one of them. */
  #invalidateSources(resource: Resource): void {
    if (resource.list !== undefined) this.#sources = undefined;
  }

  /** Whether any template offers completions for its variables. */
  get completes(): boolean {
    return this.sources.length > 0 || [...this].some((resource) => resource.complete.size > 0);
  }

  /** The templates with a list function. */
  get sources(): readonly Entry<Resource>[] {
    this.#sources ??= this.entries().filter(({ item }) => item.list !== undefined);
    return this.#sources;
  }

  /** Finds a template by the text that clients see. */
  template(text: string): Resource | undefined {
    const known = this.get(text);
    if (known !== undefined) return known;
    return [...this].find(({ description }) => "uriTemplate" in description && description.uriTemplate === text);
  }

  /** The number of resources in each group. */
  get groups(): ReadonlyMap<ResourceRules, number> {
    return this.#groups;
  }

  /** The version of a resource that serves calls. */
  serving(resource: Resource): Resource {
    return resource;
  }

  /** Returns the cached serialized result of a fixed resource. */
  serialized(resource: Resource, revision: Revision): SerializedResult | undefined {
    return this.#serialized.get(resource)?.get(revision);
  }

  cacheSerialized(resource: Resource, revision: Revision, result: SerializedResult): void {
    const byRevision = this.#serialized.get(resource) ?? new Map<Revision, SerializedResult>();
    byRevision.set(revision, result);
    this.#serialized.set(resource, byRevision);
  }
}

type Resources = Public<ResourceRegistry>;

/** The resource that a URI names. */
interface ResourceMatch {
  readonly resource: Resource;
  /** The values of the template variables, as they are in the URI. */
  readonly given: object;
  /** The same values, checked. */
  readonly params: Params | Promise<Params>;
}

/** Finds the resource of a URI, if it exists for the caller, and checks its values. @throws {RpcError} */
export function findResource(call: Call, uri: string): ResourceMatch {
  const { resources } = call.server;
  const route = routeFor(call, uri);
  const rules = route?.value.rules ?? groupOf(resources, uri);
  if (rules === undefined) throw foreignError(resources, uri);
  checkDotSegments(rules, uri);
  if (route === undefined) throw refusalError(rules, "unmatched", uri);
  const { value, match } = route;
  return {
    resource: resources.serving(value),
    given: match.values,
    params: checkMatch(rules, value.checks, match, uri),
  };
}

/** Finds the group with the longest prefix of the URI. */
function groupOf({ groups }: Resources, uri: string): ResourceRules | undefined {
  let group: ResourceRules | undefined;
  for (const rules of groups.keys()) {
    if (!uri.startsWith(rules.prefix)) continue;
    if (group === undefined || rules.prefix.length > group.prefix.length) group = rules;
  }
  return group;
}

/** Returns the error for a URI outside every group. A group may define it, for example to name its scheme. */
function foreignError({ groups }: Resources, uri: string): RpcError {
  for (const rules of groups.keys()) {
    const { messages } = rules;
    if ("foreign" in messages && messages.foreign !== undefined) return refusalError(rules, "foreign", uri);
  }
  checkDotSegments(DEFAULT_RULES, uri);
  return refusalError(DEFAULT_RULES, "unmatched", uri);
}

/** @throws {UsageError} for a URI or template that is too long. */
function checkLength({ uri, template }: Resource): void {
  const max = template === undefined ? MAX_URI_LENGTH : MAX_TEMPLATE_LENGTH;
  if (uri.length <= max) return;
  const text = `The uri of resource ${uri.slice(0, 64)}… has ${uri.length} characters; the limit is ${max}.`;
  throw new UsageError(text, "bad_template");
}
