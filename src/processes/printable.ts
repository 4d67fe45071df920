/** A text for the console: characters that a terminal would act on, such as escapes and changes of direction, are shown as ?. */
export function printable(text: string): string {
  return text.replaceAll(/[\p{C}\p{Zl}\p{Zp}]/gu, '?');
}
