/** Name of the workflow of the jobs that act on many runs. */
export const bulkName = "millrace.bulk";
