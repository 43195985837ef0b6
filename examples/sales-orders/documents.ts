/** The source of an ABAP class. */
export const UTILITY_CLASS = `CLASS zcl_my_utility DEFINITION PUBLIC FINAL CREATE PUBLIC.
  PUBLIC SECTION.
    CLASS-METHODS net_value
      IMPORTING quantity     TYPE i
                price        TYPE i
      RETURNING VALUE(value) TYPE i.
ENDCLASS.

CLASS zcl_my_utility IMPLEMENTATION.
  METHOD net_value.
    value = quantity * price.
  ENDMETHOD.
ENDCLASS.
`;

/** The source of the demo's class. */
export const DEMO_CLASS = `CLASS zcl_demo DEFINITION PUBLIC FINAL CREATE PUBLIC.
  PUBLIC SECTION.
    METHODS hello RETURNING VALUE(text) TYPE string.
ENDCLASS.

CLASS zcl_demo IMPLEMENTATION.
  METHOD hello.
    text = \`Hello!\`.
  ENDMETHOD.
ENDCLASS.
`;

/** How to use the server, for people and models. */
export const USER_GUIDE = `# Sales orders

- \`orders/{order_id}\` is an order in short, \`sales_order/{sales_order_id}\` one with its items.
- \`users/{username}/profile\` is who took it.
- \`db://sales/top_customers\` has the best customers as CSV, \`file://reports/sales_summary.pdf\` a page to print.
`;

/** Returns the size of a text as the protocol counts it: in bytes of UTF-8. */
export function sizeOf(text: string): number {
  return new TextEncoder().encode(text).length;
}
