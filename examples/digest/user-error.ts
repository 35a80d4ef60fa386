/** Something that the person at the keyboard can put right. Printed as its sentence alone, without a stack. */
export class UserError extends Error {
  override readonly name = "UserError";
}
