// UTF-8 in which lone surrogates stand as three bytes, which TextDecoder would replace.

/** @param {Uint8Array} bytes */
export function decodeWtf8(bytes) {
  let text = "";
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  let start = 0;
  for (let at = 0; at + 2 < bytes.length; at++) {
    const second = bytes[at + 1] ?? 0;
    if (bytes[at] === 0xed && second >= 0xa0) {
      text += decoder.decode(bytes.subarray(start, at));
      text += String.fromCharCode(0xd000 | ((second & 0x3f) << 6) | ((bytes[at + 2] ?? 0) & 0x3f));
      at += 2;
      start = at + 1;
    }
  }
  return text + decoder.decode(bytes.subarray(start));
}
