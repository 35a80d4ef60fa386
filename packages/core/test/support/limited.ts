/** Sets smaller limits of runs or values. Returns the function that restores them. */
export function limited<Limits extends object>(limits: Limits, smaller: Partial<Limits>): () => void {
  const documented = { ...limits };
  Object.assign(limits, smaller);
  return () => {
    Object.assign(limits, documented);
  };
}
