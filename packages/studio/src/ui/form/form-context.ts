import { createContext, useContext } from "react";
import type { FieldPath, FormErrors, FormValues } from "./form-values.js";

/** What the fields of one form share. */
export interface FormState {
  readonly values: FormValues;
  /** Empty until the form was sent once. */
  readonly errors: FormErrors;
  readonly change: (path: FieldPath, value: unknown) => void;
}

const Context = createContext<FormState>({ values: {}, errors: new Map(), change: () => {} });

export const FormProvider = Context.Provider;

export function useFormState(): FormState {
  return useContext(Context);
}
