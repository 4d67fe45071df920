/** The message of anything that was thrown: not everything that can be thrown is an error. */
export function errorText(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
