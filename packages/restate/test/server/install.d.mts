/** Path of the program, fetched where it is missing. */
export function restateServer(): string;
