/** A variable of a URI template. */
export interface TemplateVariable {
  name: string;
  /** A query or a matrix parameter, which a URI may leave out. */
  isOptional: boolean;
  /** Exploded: it has any number of values. */
  isList: boolean;
}

/**
 * Reads the variables of a URI template (RFC 6570), or says what is wrong with it. Whether URIs can be matched against
 * it is for the run-time to say.
 */
export function parseVariables(template: string): TemplateVariable[] | string {
  if (!/^[A-Za-z][A-Za-z0-9+.-]*:/.test(template)) return "it does not start with a scheme";
  const variables: TemplateVariable[] = [];
  const names = new Set<string>();
  const rest = template.replace(/\{([+#./;?&]?)([^{}]*)\}/g, (_, operator: string, list: string) => {
    for (const specification of list.split(",")) {
      const [, name = "", modifier = ""] = /^([^:*]*)(.*)$/.exec(specification) ?? [];
      variables.push({ name, isOptional: /[;?&]/.test(operator || "-"), isList: modifier === "*" });
      names.add(/^(?:\*|:[1-9][0-9]{0,3})?$/.test(modifier) ? name : specification);
    }
    return "";
  });
  if (/[{}]/.test(rest)) return "its braces do not match";
  const unusable = [...names].find((name) => !/^[A-Za-z_][A-Za-z0-9_]*$/.test(name));
  if (unusable !== undefined) return `{${unusable}} is not the name of a parameter`;
  return names.size < variables.length ? "a variable occurs twice" : variables;
}
