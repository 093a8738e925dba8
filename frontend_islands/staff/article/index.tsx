import { staffIsland } from "../shared/staff-island";
import { ArticleEditor } from "./article-editor";

export const mount = staffIsland(ArticleEditor);
