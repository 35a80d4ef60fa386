// Exact type equality: distinguishes any, unknown, readonly and optional.
export type Equal<Left, Right> =
  (<T>() => T extends Left ? 1 : 2) extends <T>() => T extends Right ? 1 : 2 ? true : false;
export declare function expectType<_Check extends true>(ok: true): void;
