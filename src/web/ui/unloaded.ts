/** What is said of a part of the page whose code could not be fetched. */
export const unloadedText = 'This part of the page could not be loaded: the server was not reachable.';

/** Whether the code of a part could not be fetched; each browser has words of its own for it. */
export function isUnloaded(error: unknown): boolean {
  return error instanceof TypeError && /dynamically imported module|importing a module|module script/iu.test(error.message);
}
