/** Made from schema.json by `npm run types`. */
// biome-ignore format: generated
export const LIMITS = {
  AccountRequest: { password: 512 },
  BillingRequest: { address: 250, city: 100, postalCode: 20, customCountry: 60, name: 200, company: 120 },
  CustomerRequest: { address: 250, city: 100, postalCode: 20, customCountry: 60, email: 254, firstName: 100, lastName: 100, phone: 40, notes: 2000 },
  GiftRequest: { recipient: 200, message: 300 },
  LineRequest: { quantity: 99 },
  QuoteRequestRequest: { lines: 40, custom_country: 60, postal_code: 20 },
} as const;
