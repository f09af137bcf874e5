# Takes IDL4 annotations (@final, @key …) out of an IDL file, for a CORBA compiler does not know them.
#   cmake -D FROM=... -D TO=... -P strip_annotations.cmake
file(READ "${FROM}" text)
string(REGEX REPLACE "@[a-z_]+(\\([^)]*\\))?[ \t]*" "" text "${text}")
file(WRITE "${TO}" "${text}")
