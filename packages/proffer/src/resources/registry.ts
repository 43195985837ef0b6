import { type Entry, Registry } from "../catalog/registry.ts";
import { InvalidParams, type RpcError } from "../protocol/errors.ts";
import type { Revision } from "../protocol/revisions/revision.ts";
import type { SerializedResult } from "../results/serialized.ts";
import type { ServerLimits } from "../server/limits.ts";
import { UsageError } from "../support/usage-error.ts";
import { createRouter, type Router } from "../uri/router.ts";
import { TemplateError } from "../uri/template.ts";
import { checkMatch, type Params } from "./check-params.ts";
import type { Resource } from "./define.ts";
import { checkDotSegments, DEFAULT_RULES, type ResourceRules, refusalError } from "./rules.ts";

/** What a URI names. */
export interface Found {
  readonly resource: Resource;
  /** The values that the template found in the URI, checked. */
  readonly params: Params | Promise<Params>;
}

/** Resources and templates: listed in the order of registration, found by URI. */
export class ResourceRegistry extends Registry<Resource> {
  readonly #limits: Pick<Required<ServerLimits>, "uriLength" | "templateLength">;
  readonly #router: Router<Resource>;
  readonly #prepared = new Map<Resource, Map<Revision, SerializedResult>>();
  /** How many resources each group has. */
  readonly #groups = new Map<ResourceRules, number>();
  #sources: readonly Entry<Resource>[] | undefined;

  constructor(changed: () => void, limits: Pick<Required<ServerLimits>, "uriLength" | "templateLength">) {
    super("resource", (resource) => resource.uri, changed);
    this.#limits = limits;
    this.#router = createRouter<Resource>({ maxUriLength: limits.uriLength });
  }

  override add(resource: Resource): void {
    this.#checkLength(resource);
    this.#forget(resource);
    super.add(resource);
    try {
      this.#router.add(resource.template ?? resource.uri, resource, resource.rules.match);
    } catch (cause) {
      this.#forget(resource);
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
    this.#prepared.delete(resource);
    this.#forget(resource);
    const others = (this.#groups.get(resource.rules) ?? 1) - 1;
    if (others === 0) this.#groups.delete(resource.rules);
    else if (resource.rules !== DEFAULT_RULES) this.#groups.set(resource.rules, others);
    return super.remove(uri);
  }

  #checkLength({ uri, template }: Resource): void {
    const limit = template === undefined ? "uriLength" : "templateLength";
    const most = this.#limits[limit];
    if (uri.length <= most) return;
    throw new UsageError(
      "bad_template",
      `The uri of resource ${uri.slice(0, 64)}… has ${uri.length} characters; limits.${limit} of the server is ${most}.`,
    );
  }

  /** Lets the sources be found again, if the resource is one: the others would be walked through for nothing. */
  #forget(resource: Resource): void {
    if (resource.list !== undefined) this.#sources = undefined;
  }

  /** Whether any template says how to complete its variables. */
  get completes(): boolean {
    return this.sources.length > 0 || [...this].some((resource) => resource.complete.size > 0);
  }

  /** The templates that list what they stand for. */
  get sources(): readonly Entry<Resource>[] {
    this.#sources ??= this.entries().filter(({ item }) => item.list !== undefined);
    return this.#sources;
  }

  /** The template that clients know by this text. */
  template(text: string): Resource | undefined {
    const known = this.get(text);
    if (known !== undefined) return known;
    return [...this].find(({ description }) => "uriTemplate" in description && description.uriTemplate === text);
  }

  /** The resource that a URI names, with its values checked. @throws {RpcError} as the contract of the URI words it. */
  find(uri: string): Found {
    if (uri.length > this.#limits.uriLength) {
      throw new InvalidParams(`The URI has ${uri.length} characters; the most is ${this.#limits.uriLength}.`);
    }
    const route = this.#router.match(uri);
    const rules = route?.value.rules ?? this.#ownerOf(uri);
    if (rules === undefined) throw this.#foreign(uri);
    checkDotSegments(rules, uri);
    if (route === undefined) throw refusalError(rules, "unmatched", uri);
    return { resource: route.value, params: checkMatch(rules, route.value.checks, route.match, uri) };
  }

  /** The group with the longest prefix that the URI has. */
  #ownerOf(uri: string): ResourceRules | undefined {
    let owner: ResourceRules | undefined;
    for (const rules of this.#groups.keys()) {
      if (!uri.startsWith(rules.prefix)) continue;
      if (owner === undefined || rules.prefix.length > owner.prefix.length) owner = rules;
    }
    return owner;
  }

  /** Refuses what nobody owns: a group may have something to say about it, such as which scheme it expects. */
  #foreign(uri: string): RpcError {
    for (const rules of this.#groups.keys()) {
      const { messages } = rules;
      if ("foreign" in messages && messages.foreign !== undefined) return refusalError(rules, "foreign", uri);
    }
    checkDotSegments(DEFAULT_RULES, uri);
    return refusalError(DEFAULT_RULES, "unmatched", uri);
  }

  /** What was serialised of a resource whose content never changes. */
  serialized(resource: Resource, revision: Revision): SerializedResult | undefined {
    return this.#prepared.get(resource)?.get(revision);
  }

  keep(resource: Resource, revision: Revision, prepared: SerializedResult): void {
    const byRevision = this.#prepared.get(resource) ?? new Map<Revision, SerializedResult>();
    byRevision.set(revision, prepared);
    this.#prepared.set(resource, byRevision);
  }
}
