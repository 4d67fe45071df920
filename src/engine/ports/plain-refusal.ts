/** What an exchange answers with: a number and a sentence. */
const answer = /\{"code":(-?\d+),"msg":"([^"]*)"/u;

/** What an exchange has said against an order, without the text that the library adds before and after it. */
export function plainRefusal(text: string): string {
  const [, code, message] = answer.exec(text) ?? [];
  return code === undefined || message === undefined || message === '' ? text : `"${message}" (${code})`;
}
