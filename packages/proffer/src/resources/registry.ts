import { type Entry, Registry } from "../catalog/registry.ts";
import { InvalidParams, type RpcError } from "../protocol/errors.ts";
import type { Revision } from "../protocol/revisions/revision.ts";
import type { SerializedResult } from "../results/serialized.ts";
import type { ServerLimits } from "../server/limits.ts";
import { UsageError } from "../support/usage-error.ts";
import { createRouter, type RouteMatch, type Router } from "../uri/router.ts";
import { TemplateError } from "../uri/template.ts";
import { checkMatch, type Params } from "./check-params.ts";
import type { Resource } from "./define.ts";
import { checkDotSegments, DEFAULT_RULES, type ResourceRules, refusalError } from "./rules.ts";

/** The resource that a URI names. */
export interface ResourceMatch {
  readonly resource: Resource;
  /** The values of the template variables, as they are in the URI. */
  readonly given: object;
  /** The same values, checked. */
  readonly params: Params | Promise<Params>;
}

/** Holds resources and templates: lists them in registration order and finds them by URI. */
export class ResourceRegistry extends Registry<Resource> {
  readonly #limits: Pick<Required<ServerLimits>, "uriLength" | "templateLength">;
  readonly #router: Router<Resource>;
  readonly #serialized = new Map<Resource, Map<Revision, SerializedResult>>();
  /** The number of resources in each group. */
  readonly #groups = new Map<ResourceRules, number>();
  #sources: readonly Entry<Resource>[] | undefined;

  constructor(
    changed: (added?: Resource) => void,
    limits: Pick<Required<ServerLimits>, "uriLength" | "templateLength">,
  ) {
    super("resource", (resource) => resource.uri, changed);
    this.#limits = limits;
    this.#router = createRouter<Resource>({ maxUriLength: limits.uriLength });
  }

  override add(resource: Resource): void {
    this.#checkLength(resource);
    this.#invalidateSources(resource);
    super.add(resource);
    try {
      this.#router.add(resource.template ?? resource.uri, resource, resource.rules.match);
    } catch (cause) {
      this.#invalidateSources(resource);
      super.remove(resource.uri);
      if (cause instanceof TemplateError) throw new UsageError("duplicate", cause.message, { cause });
      throw cause;
    }
    const { rules } = resource;
    if (rules !== DEFAULT_RULES) this.#groups.set(rules, (this.#groups.get(rules) ?? 0) + 1);
  }

  override remove(uri: string): boolean {
    const resource = this.get(uri);
    if (resource === undefined) return false;
    this.#router.remove(uri);
    this.#serialized.delete(resource);
    this.#invalidateSources(resource);
    const others = (this.#groups.get(resource.rules) ?? 1) - 1;
    if (others === 0) this.#groups.delete(resource.rules);
    else if (resource.rules !== DEFAULT_RULES) this.#groups.set(resource.rules, others);
    return super.remove(uri);
  }

  #checkLength({ uri, template }: Resource): void {
    const limit = template === undefined ? "uriLength" : "templateLength";
    const max = this.#limits[limit];
    if (uri.length <= max) return;
    throw new UsageError(
      "bad_template",
      `The uri of resource ${uri.slice(0, 64)}… has ${uri.length} characters; limits.${limit} of the server is ${max}.`,
    );
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

  /** The route of a URI, among the resources that `allows` accepts. */
  route(uri: string, allows?: (resource: Resource) => boolean): RouteMatch<Resource> | undefined {
    if (uri.length <= this.#limits.uriLength) return this.#router.match(uri, allows);
    throw new InvalidParams(`The URI has ${uri.length} characters; the limit is ${this.#limits.uriLength}.`);
  }

  /** Checks the values of a route. @throws {RpcError} with the message of the URI's group, also without a route. */
  resolve(uri: string, route: RouteMatch<Resource> | undefined): ResourceMatch {
    const rules = route?.value.rules ?? this.#groupOf(uri);
    if (rules === undefined) throw this.#foreignError(uri);
    checkDotSegments(rules, uri);
    if (route === undefined) throw refusalError(rules, "unmatched", uri);
    const { value: resource, match } = route;
    return { resource, given: match.values, params: checkMatch(rules, resource.checks, match, uri) };
  }

  /** Finds the group with the longest prefix of the URI. */
  #groupOf(uri: string): ResourceRules | undefined {
    let group: ResourceRules | undefined;
    for (const rules of this.#groups.keys()) {
      if (!uri.startsWith(rules.prefix)) continue;
      if (group === undefined || rules.prefix.length > group.prefix.length) group = rules;
    }
    return group;
  }

  /** Returns the error for a URI outside every group. A group may define it, for example to name its scheme. */
  #foreignError(uri: string): RpcError {
    for (const rules of this.#groups.keys()) {
      const { messages } = rules;
      if ("foreign" in messages && messages.foreign !== undefined) return refusalError(rules, "foreign", uri);
    }
    checkDotSegments(DEFAULT_RULES, uri);
    return refusalError(DEFAULT_RULES, "unmatched", uri);
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
