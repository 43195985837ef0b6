import Stripe from "stripe";
import { accepts, cannotReturn, gives, refuses, returns, says } from "../expect.ts";

/** Creates a customer. */
export async function createCustomer(params: Stripe.CustomerCreateParams): Promise<{ id: string }> {
  throw new Error(params.name);
}
accepts(
  createCustomer,
  [{}],
  [{ name: "A", email: "a@example.org", address: "", metadata: { plan: "x", seats: 5, old: null } }],
  [{ address: { city: "Bern", country: "CH" }, tax_id_data: [{ type: "ch_vat", value: "CHE-1" }] }],
);
refuses(
  createCustomer,
  [{ nmae: "A" }],
  [{ balance: "5" }],
  [{ address: "Bern" }],
  [{ tax_id_data: [{ value: "CHE-1" }] }],
);
returns(createCustomer, { id: "cus_1" });

/** Refunds a payment. */
export function refund(params: Stripe.RefundCreateParams): Pick<Stripe.Refund, "id" | "amount" | "status"> {
  throw new Error(params.charge);
}
accepts(refund, [{ charge: "ch_1", amount: 500, reason: "duplicate" }], [{ metadata: "" }]);
refuses(refund, [{ charge: 5 }], [{ origin: "elsewhere" }], [{ expand: "charge" }]);
returns(refund, { id: "re_1", amount: 5, status: "succeeded" }, { id: "re_1", amount: 5, status: null });

/** Lists charges. */
export function listCharges(params: Stripe.ChargeListParams): Stripe.ApiList<Pick<Stripe.Charge, "id" | "paid">> {
  throw new Error(params.customer);
}
accepts(listCharges, [{ limit: 3, created: { gte: 1 } }], [{ created: 5 }]);
refuses(listCharges, [{ created: "5" }], [{ created: { from: 1 } }]);
returns(listCharges, { object: "list", data: [{ id: "ch_1", paid: true }], has_more: false, url: "/v1/charges" });

/** Shows a payment. */
export async function payment(id: string): Promise<Stripe.PaymentIntent> {
  throw new Error(id);
}
accepts(payment, ["pi_1"]);
refuses(payment, [5]);
cannotReturn(payment, { id: "pi_1" });
says(payment, "client_secret");

/** Creates a payment. */
export function pay(params: Stripe.PaymentIntentCreateParams): void {
  throw new Error(params.currency);
}
accepts(
  pay,
  [{ amount: 100, currency: "chf" }],
  [{ amount: 1, currency: "chf", automatic_payment_methods: { enabled: true } }],
);
refuses(pay, [{ amount: 100 }], [{ amount: "100", currency: "chf" }]);

/** Handles a webhook. */
export function handle(event: Pick<Stripe.CustomerCreatedEvent, "id" | "type">): string {
  return event.type;
}
accepts(handle, [{ id: "evt_1", type: "customer.created" }]);
refuses(handle, [{ id: "evt_1", type: "customer.deleted" }]);
returns(handle, "customer.created");

/**
 * Estimates a fee.
 *
 * @param amount - The amount in cents. Must be positive.
 * @param currency - A currency.
 * @default currency "chf"
 * @example
 * ```ts
 * fee(100, "chf");
 * ```
 * @see https://example.org/fees
 */
export const fee = (amount: number, currency: Stripe.RefundCreateParams["currency"] = "chf"): number =>
  amount * String(currency).length;
accepts(fee, [100], [100, "eur"]);
refuses(fee, ["100"], [100, 5]);
returns(fee, 5);
says(fee, "The amount in cents.");

/** Shows a balance. */
export function balance(): Pick<Stripe.Balance, "livemode" | "pending"> {
  throw new Error("sample");
}
returns(balance, { livemode: false, pending: [{ amount: 5, currency: "chf", source_types: { card: 5 } }] });

/** Shows an address. */
export const address = (value: Stripe.Address | Stripe.AddressParam): (string | null | undefined)[] => [value.city];
accepts(address, [{ city: "Bern" }]);
refuses(address, [{ city: 5 }]);
returns(address, ["Bern", null, undefined]);

const client = (body: unknown, status = 200): Stripe =>
  new Stripe("SECRET", {
    maxNetworkRetries: 0,
    httpClient: Stripe.createFetchHttpClient(async () =>
      Response.json(body, { status, headers: { "request-id": "r1" } }),
    ),
  });

/** Shows a recorded coupon. */
export async function coupon(id: string): Promise<Stripe.Coupon> {
  const recorded = {
    id,
    object: "coupon",
    amount_off: null,
    created: 0,
    currency: null,
    duration: "once",
    duration_in_months: null,
    livemode: false,
    max_redemptions: null,
    metadata: {},
    name: null,
    percent_off: 5,
    redeem_by: null,
    times_redeemed: 0,
    valid: true,
  };
  return client(recorded).coupons.retrieve(id);
}
gives(coupon, ["c1"]);

/** Lists recorded customers. */
export async function customers(): Promise<Pick<Stripe.ApiList<Pick<Stripe.Customer, "id">>, "data" | "has_more">> {
  const { data, has_more } = await client({
    object: "list",
    data: [{ id: "cus_1" }],
    has_more: false,
    url: "/v1/customers",
  }).customers.list();
  return { data, has_more };
}
gives(customers, [], { data: [{ id: "cus_1" }], has_more: false });

/** Verifies a webhook. */
export function verify(body: string): { type: Stripe.Event["type"] } | { error: Error } {
  const header = Stripe.webhooks.generateTestHeaderString({ payload: body, secret: "SECRET" });
  try {
    return { type: Stripe.webhooks.constructEvent(body, header, body === "{}" ? "other" : "SECRET").type };
  } catch (error) {
    return { error: error as Error };
  }
}
gives(verify, ['{"id":"evt_1","object":"event","type":"customer.created"}'], { type: "customer.created" });

/** Explains why a call failed. */
export async function explain(id: string): Promise<Stripe.errors.StripeError | undefined> {
  const answer = client({ error: { type: "card_error", message: "no", param: "SECRET" } }, 402).coupons.retrieve(id);
  return answer.then(
    () => undefined,
    (error) => (error instanceof Stripe.errors.StripeError ? error : undefined),
  );
}
gives(explain, ["c1"], { name: "Error", message: "no" });
