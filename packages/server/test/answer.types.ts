/** JSON of whatever shape; the tests look at it. */
export type Json = any;

export interface Answer<Body = Json> {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Body;
}
