const all: (() => void)[] = [];

/**
 * Has what a screen remembers of the person who is signed in forgotten when that person leaves. Its store says so once, so that the page
 * need not have the code of a screen that nobody has opened.
 */
export function forgetWhenLeft(forget: () => void): void {
  all.push(forget);
}

/** Forgets all of it: another person may sign in. */
export function forgetAll(): void {
  for (const forget of all) forget();
}
