/** What calls answer and islands are given, by the names of the API's schema. */
import type { components } from "./schema";

type Schemas = components["schemas"];

export type Quote = Schemas["Quote"];
export type QuoteLine = Schemas["QuoteLine"];
export type OfferHint = Schemas["OfferHint"];
export type CountryChoice = Schemas["CountryChoice"];
export type PaymentMode = Schemas["PaymentModeEnum"];
export type CartProps = Schemas["CartProps"];
export type CheckoutProps = Schemas["CheckoutProps"];
export type CheckoutAnswer = Schemas["CheckoutAnswer"];
export type PaymentResultProps = Schemas["PaymentResultProps"];
export type VerifyAnswer = Schemas["VerifyAnswer"];
export type GalleryProps = Schemas["GalleryProps"];
export type GalleryImage = Schemas["GalleryImage"];
export type ProductBuyProps = Schemas["ProductBuyProps"];
export type BuyFinish = Schemas["BuyFinish"];
/** One price: a finish (null where the product has none) in a format (null likewise). */
export type BuyOffer = Schemas["BuyOffer"];
export type Finish = Schemas["FinishEnum"];
/** `csrf_token` goes with every unsafe call as `X-CSRFToken`. */
export type Me = Schemas["Me"];
/** An address of the member's book. */
export type SavedAddress = Schemas["Address"];
/** `problem` says of a line that it can't be bought as it is; it stays. */
export type SavedCart = Schemas["SavedCart"];
export type SavedCartWrite = Schemas["SavedCartWriteRequest"];
export type SearchSuggestions = Schemas["SearchSuggestions"];
/** A product as staff write and read it; the texts are the French ones, `name_en` and so on their translations. */
export type AdminProduct = Schemas["AdminProduct"];
export type AdminProductRow = Schemas["AdminProductRow"];
export type AdminProductPage = Schemas["AdminProductPage"];
export type FieldChange = Schemas["FieldChange"];
export type BulkAnswer = Schemas["BulkAnswer"];
export type ImportAnswer = Schemas["ImportAnswer"];
export type PriceHistory = Schemas["PriceHistory"];
export type PromotionPreview = Schemas["PromotionPreview"];
export type StaffProductsProps = Schemas["StaffProductsProps"];
export type StaffProductFormProps = Schemas["StaffProductFormProps"];
export type StaffProductImportProps = Schemas["StaffProductImportProps"];
/** The photos of a product as staff edit them. */
export type StaffGallery = Schemas["StaffGallery"];
export type StaffPhoto = Schemas["StaffPhoto"];
export type VariantGrid = Schemas["VariantGrid"];
export type VariantFormat = Schemas["Variation"];
export type VariantRow = Schemas["GridRow"];
/** An article as staff write and read it; the texts are the French ones, `title_en` and so on their translations. */
export type AdminArticle = Schemas["AdminArticle"];
export type ArticlePicture = Schemas["ArticlePicture"];
export type ArticlePreview = Schemas["ArticlePreview"];
export type ArticleRevision = Schemas["ArticleRevision"];
export type FieldDiff = Schemas["FieldDiff"];
export type StaffArticleProps = Schemas["StaffArticleProps"];
export type StaffPicturesProps = Schemas["StaffPicturesProps"];
export type StaffVariantsProps = Schemas["StaffVariantsProps"];

/** Orders as staff read them: in a list, and one with its parts. */
export type StaffOrder = Schemas["AdminOrder"];
export type StaffOrderPage = Schemas["AdminOrderPage"];
export type StaffOrderCounts = Schemas["OrderCounts"];
export type StaffOrderSheet = Schemas["AdminOrderDetail"];
export type StaffOrderProps = Schemas["StaffOrderProps"];
export type StatusOffer = Schemas["StatusOffer"];
export type SheetLine = Schemas["SheetLine"];
export type SheetShipment = Schemas["Shipment"];
export type SheetRefund = Schemas["SheetRefund"];
export type MailPreview = Schemas["MailPreview"];
export type MailPreviews = Schemas["MailPreviews"];
export type RefundProposal = Schemas["RefundProposal"];
export type RefundAnswer = Schemas["RefundAnswer"];

/** The workshop's board, and orders that are ready to leave. */
export type BoardAnswer = Schemas["Board"];
export type PiecePhoto = Schemas["PiecePhoto"];
export type PhotographedPiece = Schemas["PhotographedPiece"];
export type SheetPiece = Schemas["SheetPiece"];
export type BoardCard = Schemas["Card"];
export type BoardProps = Schemas["StaffBoardProps"];
export type PieceStage = BoardCard["stage"];
export type DispatchProps = Schemas["StaffDispatchProps"];
export type ReadyOrder = Schemas["ReadyOrder"];
export type ReadyOrders = Schemas["ReadyOrders"];
export type DispatchResult = Schemas["DispatchResult"];
export type DispatchResults = Schemas["DispatchResults"];
