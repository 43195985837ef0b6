/**
 * The customers of the company: find, add and remove them.
 * @module
 */
import { type Context, defineServer } from "proffer";
import { defineSettings } from "proffer/settings";
import { CrmError, Customers, enrichAt } from "./customers.ts";
import { type Customer, Database } from "./database.ts";

const settings = defineSettings<{
  /** The file of the database. @default crm.db */
  CRM_DB: string;
  /** The address of the company register. @format uri @default https://register.example/v1/ */
  REGISTER_URL: string;
  /** The key of the company register. @secret */
  REGISTER_KEY: string;
}>();

const database = new Database(settings.CRM_DB);
const customers = new Customers(database, enrichAt(settings.REGISTER_URL, settings.REGISTER_KEY));

export const server = defineServer({
  name: "crm",
  version: "1.0.0",
  // A model may read what the application tells its users. Any other exception is masked and logged.
  errors: (error) => (error instanceof CrmError ? error.message : "The CRM failed. Try again later."),
  onStop: () => database.close(),
});

/** The number of a customer. @integer @minimum 1 */
type Id = number;

/**
 * Finds a customer by number.
 * @readOnly
 * @param id - the number of the customer
 */
export function findCustomer(id: Id): Customer {
  return customers.find(id);
}

/**
 * Lists customers in the order of their numbers.
 * @readOnly
 * @param city - only customers in this city
 * @param limit - how many at most. @integer @minimum 1 @maximum 100
 * @param after - only customers with larger numbers, for the next page
 */
export function listCustomers(city?: string, limit = 20, after?: Id): Customer[] {
  return customers.list(city, after ?? 0, limit);
}

/**
 * Adds a customer and returns it with its number.
 * @param name - the name of the company
 * @param city - where its office is
 */
export function addCustomer(name: string, city: string): Customer {
  return customers.add(name, city);
}

/**
 * Looks the number of employees of a customer up in the company register.
 * @readOnly
 * @openWorld
 * @param id - the number of the customer
 */
export function countEmployees(id: Id): Promise<number> {
  return customers.size(id);
}

/**
 * Removes a customer, after the user has agreed.
 * @destructive
 * @param id - the number of the customer
 */
export async function removeCustomer(id: Id, ctx: Context): Promise<string> {
  const { name } = customers.find(id);
  const answer = await ctx.ask<{ sure: boolean }>(`Remove ${name} and its history?`);
  if (answer.action !== "accept" || !answer.content.sure) return `${name} was kept.`;
  await ctx.step("remove", () => customers.remove(id));
  return `${name} was removed.`;
}

/**
 * A customer.
 * @resource crm://customers/{id}
 * @mimeType application/json
 * @param id - the number of the customer
 */
export function customer(id: Id): Customer {
  return customers.find(id);
}
