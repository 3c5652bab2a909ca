/**
 * Files of a form as message parts.
 *
 * @module
 */

import type { FileListLike } from "./chat-types.js";
import type { FileUIPart } from "./message-types.js";

/**
 * Reads the files of an `<input type="file">` into file parts with data URLs.
 *
 * `undefined` gives no parts. Rejects when a file cannot be read.
 */
export async function convertFileListToFileUIParts(
  files: FileListLike | undefined,
): Promise<FileUIPart[]> {
  return Promise.all(
    Array.from(files ?? { length: 0 }, async (file: Blob & { readonly name: string }) => ({
      type: "file" as const,
      mediaType: file.type,
      filename: file.name,
      url: await dataUrl(file),
    })),
  );
}

async function dataUrl(file: Blob): Promise<string> {
  const bytes = new Uint8Array(await file.arrayBuffer());
  let binary = "";
  // In pieces, since an argument list has a limit.
  for (let start = 0; start < bytes.length; start += 0x8000) {
    binary += String.fromCharCode(...bytes.subarray(start, start + 0x8000));
  }
  return `data:${file.type};base64,${btoa(binary)}`;
}
