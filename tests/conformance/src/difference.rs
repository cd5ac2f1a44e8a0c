//! The differences from kube-apiserver that ours is allowed to have and that a row can see, each with its number in the
//! specification (E21).

/// One allowed difference.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Difference {
    /// 1: a protobuf Accept is answered in JSON.
    ProtobufReplies = 1,
    /// 2: mistakes of the client which kube-apiserver answers with 500 are 4xx with the same text.
    ServerErrorForClientMistake = 2,
    /// 3: an object above the storage limit is 413, not 500.
    ObjectTooLarge = 3,
    /// 4: a CRD is served when its create call returns.
    CrdServedAtOnce = 4,
    /// 5: tokens and RBAC changes count at once.
    AccessChangesAtOnce = 5,
    /// 6: a namespace is emptied at once.
    NamespaceEmptiedAtOnce = 6,
    /// 7: the garbage collector waits before it believes that an owner is missing.
    GarbageCollectorGrace = 7,
    /// 12: a token Secret is filled in the create reply.
    TokenSecretAtOnce = 12,
    /// 13: the conditions of a namespace that waits name the objects it waits for.
    NamespaceNamesObjects = 13,
    /// 14: a stale replacement is told the version that is there.
    ConflictNamesVersion = 14,
}
