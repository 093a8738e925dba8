/** Made from schema.json by `npm run types`. */
// biome-ignore format: generated
export const LIMITS = {
  AccountRequest: { password: 512 },
  BillingRequest: { address: 250, city: 100, postalCode: 20, customCountry: 60, name: 200, company: 120, companyNumber: 20 },
  CustomerRequest: { address: 250, city: 100, postalCode: 20, customCountry: 60, email: 254, firstName: 100, lastName: 100, phone: 40, notes: 2000 },
  GiftRequest: { recipient: 200, message: 300 },
  LineRequest: { quantity: 99 },
  QuoteRequestRequest: { lines: 40, custom_country: 60, postal_code: 20 },
} as const;

// biome-ignore format: generated
export const STAFF_LIMITS = {
  AdminProductRequest: { name: 160, description: 2000, full_description: 20000, material: 160, paint_type: 160, warnings: 2000, name_en: 160, name_es: 160, name_de: 160, description_en: 2000, description_es: 2000, description_de: 2000, full_description_en: 20000, full_description_es: 20000, full_description_de: 20000, material_en: 160, material_es: 160, material_de: 160, paint_type_en: 160, paint_type_es: 160, paint_type_de: 160, warnings_en: 2000, warnings_es: 2000, warnings_de: 2000, promotion_buy_quantity: 99, promotion_get_quantity: 99, promotion_percent: 99, dimensions: 80, weight: 40, production_time: 40, external_id: 120, minimum_age: 99, maker: 2000 },
  ArticleWriteRequest: { title: 160, title_en: 160, title_es: 160, title_de: 160, slug: 180, slug_en: 180, slug_es: 180, slug_de: 180, excerpt: 400, excerpt_en: 400, excerpt_es: 400, excerpt_de: 400, content: 60000, content_en: 60000, content_es: 60000, content_de: 60000, cover_alt: 250, cover_alt_en: 250, cover_alt_es: 250, cover_alt_de: 250, author_name: 80, tags: 24, products: 24 },
  DispatchRequest: { orders: 50 },
  ImportRequest: { csv: 900000, preview_key: 64 },
  PatchedPictureChangeRequest: { alt: 250, alt_en: 250, alt_es: 250, alt_de: 250, version: 16 },
} as const;
