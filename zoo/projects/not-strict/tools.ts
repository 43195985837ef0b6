interface Pet {
  name: string;
  age?: number;
  owner: string | null;
}

/** Shows a pet. */
export function pet(name: string): Pet {
  return { name, owner: null };
}
