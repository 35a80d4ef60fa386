/// <reference path="./raw.d.ts" />
/** The files of Swagger UI as texts. The build puts them into a separate chunk. */

import css from "swagger-ui-dist/swagger-ui.css?raw";
import bundle from "swagger-ui-dist/swagger-ui-bundle.js?raw";

export const script: string = bundle;
export const style: string = css;
