/**
 * Applies the core's lists of changes to a tree of nodes. What did not change keeps its identity.
 *
 * @module
 */

/** A node while a list of changes is applied. */
interface Tree {
  children?: readonly Tree[];
  value?: string;
}

type Path = readonly number[];

/** An operation (`Markdown::changes` in the crate's `src/markdown/mod.rs`). */
type Change =
  | ["s", Path, Tree]
  | ["t", Path, string]
  | ["f", Path, object]
  | ["x", Path, number];

/** The root after the changes. The given one stays as it is. */
export function applyChanges<ROOT extends object>(root: ROOT, changes: string): ROOT {
  const list = JSON.parse(changes) as Change[];
  if (list.length === 0) return root;
  // Each node on a path is copied once, whatever the number of changes in it.
  const fresh = new Set<object>();
  const copy = (node: Tree): Tree => {
    if (fresh.has(node)) return node;
    const copied = node.children ? { ...node, children: [...node.children] } : { ...node };
    fresh.add(copied);
    return copied;
  };
  const copiedRoot = copy(root);
  const nodeAt = (path: Path): Tree => {
    let node = copiedRoot;
    for (const index of path) {
      const children = childrenOf(node);
      node = children[index] = copy(children[index] as Tree);
    }
    return node;
  };
  for (const [operation, path, argument] of list) {
    if (operation === "s") childrenOf(nodeAt(path.slice(0, -1)))[path.at(-1) as number] = argument;
    else if (operation === "t") nodeAt(path).value += argument;
    else if (operation === "f") Object.assign(nodeAt(path), argument);
    else childrenOf(nodeAt(path)).length = argument;
  }
  return copiedRoot as ROOT;
}

/** Of a copied node, or a new one. */
function childrenOf(node: Tree): Tree[] {
  return node.children as Tree[];
}
